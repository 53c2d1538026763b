package engine

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// What is read of a response that is not handed on, so that its connection can
// be used again: more than most errors have, less than a connection costs.
const (
	drainBytes = 64 << 10
	drainTime  = 100 * time.Millisecond
)

// drain reads the rest of a body, within its bounds, and closes it. A body that
// stalls is closed from a timer.
func drain(resp *http.Response) {
	if resp.Body == nil || resp.Body == http.NoBody {
		return
	}
	if resp.StatusCode != http.StatusSwitchingProtocols && resp.ContentLength <= drainBytes {
		stop := time.AfterFunc(drainTime, func() { resp.Body.Close() })
		io.CopyN(io.Discard, resp.Body, drainBytes)
		stop.Stop()
	}
	resp.Body.Close()
}

// boundBody is a response body under the timeout of its attempt, which ends with
// the body and not before.
type boundBody struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (b *boundBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.cancel()
	}
	return n, err
}

func (b *boundBody) Close() error {
	err := b.ReadCloser.Close()
	b.cancel()
	return err
}

// sender hands out the request's body once an attempt.
type sender struct {
	req   *http.Request
	file  *file // a body that is rewound by seeking
	begun bool  // req.Body was handed out, and is closed by whom it was handed to
}

func newSender(req *http.Request, retries bool) sender {
	s := sender{req: req}
	if !retries || req.Body == nil || req.Body == http.NoBody || req.GetBody != nil {
		return s
	}
	if seeker, ok := req.Body.(io.ReadSeeker); ok {
		if start, err := seeker.Seek(0, io.SeekCurrent); err == nil {
			s.file = &file{src: seeker, closer: req.Body, start: start}
		}
	}
	return s
}

// rewindable reports whether the body can be sent more than once.
func (s *sender) rewindable() bool {
	return s.req.Body == nil || s.req.Body == http.NoBody || s.req.GetBody != nil || s.file != nil
}

// body returns the body for the next attempt.
func (s *sender) body() (io.ReadCloser, error) {
	first := !s.begun
	s.begun = true
	switch {
	case s.file != nil:
		return s.file.open()
	case first, s.req.Body == nil, s.req.Body == http.NoBody:
		return s.req.Body, nil
	}
	return s.req.GetBody()
}

// finish closes what no attempt closes.
func (s *sender) finish() {
	switch {
	case s.file != nil:
		s.file.finish()
	case !s.begun && s.req.Body != nil:
		s.req.Body.Close()
	}
}

// file is a body that is rewound by seeking. A transport may still read the body of
// an attempt that was answered early, so each attempt reads through a view, and a
// new view ends the one before.
type file struct {
	mu     sync.Mutex
	src    io.ReadSeeker
	closer io.Closer
	start  int64
	view   *fileView // the one that may read; nil: none
	over   bool      // no further view will be opened
}

type fileView struct{ file *file }

var errSuperseded = errors.New("the body belongs to a later attempt")

func (f *file) open() (io.ReadCloser, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.view = nil
	if _, err := f.src.Seek(f.start, io.SeekStart); err != nil {
		return nil, err
	}
	f.view = &fileView{f}
	return f.view, nil
}

// finish closes the source once its last view is closed.
func (f *file) finish() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = true
	if f.view == nil {
		f.closer.Close()
	}
}

func (v *fileView) Read(p []byte) (int, error) {
	v.file.mu.Lock()
	defer v.file.mu.Unlock()
	if v.file.view != v {
		return 0, errSuperseded
	}
	return v.file.src.Read(p)
}

func (v *fileView) Close() error {
	f := v.file
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.view != v {
		return nil
	}
	f.view = nil
	if f.over {
		return f.closer.Close()
	}
	return nil
}
