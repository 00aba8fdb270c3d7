package main

import (
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

func appendPools(b []byte, pools []pool) []byte {
	b = append(b, '[')
	for i := range pools {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendPool(b, &pools[i])
	}
	return append(b, ']')
}

// appendPool appends a pool as a JSON object with the documented fields in order.
func appendPool(b []byte, p *pool) []byte {
	b = append(b, `{"id":`...)
	b = appendUUID(b, p.id)
	b = append(b, `,"original_number_id":`...)
	b = appendUUID(b, p.originalNumberID)
	b = append(b, `,"account_token":`...)
	b = appendString(b, p.accountToken)
	b = append(b, `,"area_code":`...)
	b = appendText(b, p.areaCode)
	b = append(b, `,"description":`...)
	b = appendText(b, p.description)
	b = append(b, `,"is_dni":`...)
	b = strconv.AppendBool(b, p.isDNI.Bool)
	b = append(b, `,"is_prompted":`...)
	b = strconv.AppendBool(b, p.isPrompted.Bool)
	b = append(b, `,"is_recorded":`...)
	b = strconv.AppendBool(b, p.isRecorded.Bool)
	b = append(b, `,"pool_type":`...)
	b = appendText(b, p.poolType)
	b = append(b, `,"property_token":`...)
	b = appendText(b, p.propertyToken)
	b = append(b, `,"size":`...)
	b = strconv.AppendInt(b, int64(p.size.Int32), 10)
	b = append(b, `,"utilization":`...)
	b = appendFloat(b, p.utilization)
	b = append(b, `,"created_at":`...)
	b = appendTime(b, p.createdAt.Time)
	b = append(b, `,"updated_at":`...)
	b = appendTime(b, p.updatedAt.Time)
	return append(b, '}')
}

func appendUUID(b []byte, id pgtype.UUID) []byte {
	b = append(b, '"')
	b = hex.AppendEncode(b, id.Bytes[:4])
	for _, part := range [][]byte{id.Bytes[4:6], id.Bytes[6:8], id.Bytes[8:10], id.Bytes[10:]} {
		b = append(b, '-')
		b = hex.AppendEncode(b, part)
	}
	return append(b, '"')
}

func appendText(b []byte, text pgtype.Text) []byte {
	if !text.Valid {
		return append(b, "null"...)
	}
	return appendString(b, text.String)
}

// appendString appends valid UTF-8 as a JSON string. It escapes only what must be escaped, as JSON.stringify does.
func appendString(b []byte, text string) []byte {
	b = append(b, '"')
	start := 0
	for i := range len(text) {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, text[start:i]...)
		b = appendEscape(b, c)
		start = i + 1
	}
	b = append(b, text[start:]...)
	return append(b, '"')
}

func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\b':
		return append(b, `\b`...)
	case '\f':
		return append(b, `\f`...)
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	}
	return hex.AppendEncode(append(b, `\u00`...), []byte{c})
}

// appendFloat appends the shortest number that parses to the same value, in JavaScript's format.
func appendFloat(b []byte, number pgtype.Float8) []byte {
	if !number.Valid {
		return append(b, "null"...)
	}
	if abs := math.Abs(number.Float64); abs >= 1e-6 && abs < 1e21 || abs == 0 {
		return strconv.AppendFloat(b, number.Float64, 'f', -1, 64)
	}
	text := strconv.FormatFloat(number.Float64, 'e', -1, 64)
	return append(b, strings.Replace(text, "e-0", "e-", 1)...)
}

// appendTime appends a time with milliseconds, as on all JSON paths.
func appendTime(b []byte, t time.Time) []byte {
	return t.UTC().AppendFormat(b, `"2006-01-02T15:04:05.000Z"`)
}
