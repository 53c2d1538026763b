package engine

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
)

// deriveKey makes the key of a logical operation from the class's first name and
// the values of its fields in declared order: a UUID of version 8 (RFC 9562,
// section 5.8). Each part is hashed behind its length, so that no two lists of
// values look alike; the names of the fields are not part of it, so that renaming
// one keeps its keys.
func deriveKey(keyName string, values ...string) string {
	var room [256]byte // most keys are hashed without an allocation
	buf := appendPart(room[:0], keyName)
	for _, v := range values {
		buf = appendPart(buf, v)
	}
	sum := sha256.Sum256(buf)
	return uuid([16]byte(sum[:16]), 8)
}

func appendPart(buf []byte, part string) []byte {
	buf = binary.BigEndian.AppendUint64(buf, uint64(len(part)))
	return append(buf, part...)
}

// randomKey draws a UUID of version 4.
func randomKey() string {
	var b [16]byte
	rand.Read(b[:]) // never fails: the program ends where the system has no randomness
	return uuid(b, 4)
}

func uuid(b [16]byte, version byte) string {
	b[6] = b[6]&0x0f | version<<4
	b[8] = b[8]&0x3f | 0x80
	var text [36]byte
	hex.Encode(text[:8], b[:4])
	hex.Encode(text[9:13], b[4:6])
	hex.Encode(text[14:18], b[6:8])
	hex.Encode(text[19:23], b[8:10])
	hex.Encode(text[24:], b[10:])
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	return string(text[:])
}

// isFieldValue reports whether text arrives as it is as the value of a header
// field (RFC 9110, section 5.5): no control characters, and no white space at its
// ends, which a receiver drops. quoted: as a string of a structured field (RFC 9651, section
// 3.3.3), which is ASCII and keeps its white space.
func isFieldValue(text string, quoted bool) bool {
	for i := range len(text) {
		c := text[i]
		if c == 0x7f || c < ' ' && (c != '\t' || quoted) || c >= 0x80 && quoted {
			return false
		}
	}
	return quoted || strings.Trim(text, " \t") == text
}
