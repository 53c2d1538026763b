package engine

import (
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
)

// h2conn is the server's end of an HTTP/2 connection, by frames (RFC 9113, section 4.1).
type h2conn struct {
	*tls.Conn
	number int32 // counts from 1
}

const (
	h2Headers, h2Reset, h2Settings, h2GoAway = 1, 3, 4, 7
	h2EndOfAll                               = 0x5 // END_STREAM and END_HEADERS
	h2Ack                                    = 0x1
)

func (c h2conn) frame(kind, flags byte, stream uint32, payload ...byte) {
	head := []byte{0, 0, byte(len(payload)), kind, flags}
	c.Write(append(binary.BigEndian.AppendUint32(head, stream), payload...))
}

// goAway says that streams up to last were or will be processed.
func (c h2conn) goAway(last, code uint32) {
	c.frame(h2GoAway, 0, 0, binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, last), code)...)
}

func (c h2conn) reset(stream, code uint32) {
	c.frame(h2Reset, 0, stream, binary.BigEndian.AppendUint32(nil, code)...)
}

// ok answers 200: the first entry of HPACK's table that says so.
func (c h2conn) ok(stream uint32) { c.frame(h2Headers, h2EndOfAll, stream, 0x88) }

// serveH2 starts a server that speaks HTTP/2 as badly as a test wants: answer is called
// with each request, on its connection's goroutine.
func serveH2(t testing.TB, answer func(c h2conn, stream uint32)) (url string, client *http.Transport, connections *atomic.Int32) {
	t.Helper()
	certified := httptest.NewTLSServer(http.NotFoundHandler())
	certified.Close()
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: certified.TLS.Certificates, NextProtos: []string{"h2"}})
	mustNotErr(t, err)
	connections = &atomic.Int32{}
	var accepting, open sync.WaitGroup
	var all sync.Map
	accepting.Add(1)
	go func() {
		defer accepting.Done()
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			all.Store(conn, nil)
			open.Add(1)
			go func() {
				defer open.Done()
				defer conn.Close()
				serveH2Conn(h2conn{conn.(*tls.Conn), connections.Add(1)}, answer)
			}()
		}
	}()
	client = certified.Client().Transport.(*http.Transport).Clone()
	client.ForceAttemptHTTP2 = true
	t.Cleanup(func() {
		listener.Close()
		client.CloseIdleConnections()
		accepting.Wait()
		all.Range(func(conn, _ any) bool { conn.(net.Conn).Close(); return true })
		open.Wait()
	})
	return "https://" + listener.Addr().String(), client, connections
}

func serveH2Conn(c h2conn, answer func(h2conn, uint32)) {
	if _, err := io.ReadFull(c, make([]byte, len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))); err != nil {
		return
	}
	c.frame(h2Settings, 0, 0)
	var head [9]byte
	for {
		if _, err := io.ReadFull(c, head[:]); err != nil {
			return
		}
		size := int64(head[0])<<16 | int64(head[1])<<8 | int64(head[2])
		if _, err := io.CopyN(io.Discard, c, size); err != nil {
			return
		}
		stream := binary.BigEndian.Uint32(head[5:])
		switch {
		case head[3] == h2Settings && head[4]&h2Ack == 0:
			c.frame(h2Settings, h2Ack, 0)
		case head[3] == h2Headers:
			answer(c, stream)
		}
	}
}
