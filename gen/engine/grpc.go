package engine

import (
	"strconv"
	"time"
)

// GRPCPushBack adds to err what the trailer grpc-retry-pushback-ms says, given by
// its values (gRFC A6): milliseconds until the next attempt, and where it is
// negative, not a number, or there twice, not to come back. Without a value err
// stays as it is. For google.rpc.RetryInfo use RetryAfter.
func GRPCPushBack(err error, values []string) error {
	if err == nil || len(values) == 0 {
		return err
	}
	if len(values) == 1 {
		if n, bad := strconv.ParseUint(values[0], 10, 31); bad == nil {
			return RetryAfter(err, time.Now().Add(time.Duration(n)*time.Millisecond))
		}
	}
	return &fact{err: err, stop: true}
}
