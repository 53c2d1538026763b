package engine

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
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
