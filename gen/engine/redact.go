package engine

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// withoutQuery returns the text of err with query, fragment and user of each
// URL in it left out: they carry secrets. URLs are those that url.Errors hold,
// wherever they stand below err.
func withoutQuery(err error) string {
	text := err.Error()
	urls := urlsIn(err, nil)
	// The longest first: one URL can be the beginning of another.
	slices.SortFunc(urls, func(a, b string) int { return len(b) - len(a) })
	for _, u := range urls {
		if bare := bareURL(u); bare != u {
			text = strings.ReplaceAll(text, strconv.Quote(u), strconv.Quote(bare)) // as url.Error writes it
			text = strings.ReplaceAll(text, u, bare)
		}
	}
	return text
}

func urlsIn(err error, urls []string) []string {
	if u, ok := err.(*url.Error); ok {
		if u == nil {
			return urls
		}
		if u.URL != "" {
			urls = append(urls, u.URL)
		}
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		if below := e.Unwrap(); below != nil {
			urls = urlsIn(below, urls)
		}
	case interface{ Unwrap() []error }:
		for _, below := range e.Unwrap() {
			if below != nil {
				urls = urlsIn(below, urls)
			}
		}
	}
	return urls
}

// bareURL works on the text, for a url.Error may hold what is no URL.
func bareURL(u string) string {
	if i := strings.IndexAny(u, "?#"); i >= 0 {
		u = u[:i]
	}
	from := 0
	if i := strings.Index(u, "//"); i >= 0 {
		from = i + 2
	}
	to := len(u)
	if i := strings.IndexByte(u[from:], '/'); i >= 0 {
		to = from + i
	}
	if at := strings.LastIndexByte(u[from:to], '@'); at >= 0 {
		u = u[:from] + u[from+at+1:]
	}
	return u
}
