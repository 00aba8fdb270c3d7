package main

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

const (
	manual      = "manual"
	automanaged = "automanaged"
	// automated is an alias of automanaged in requests. It is never stored.
	automated = "automated"
)

// newPool is a request to create a pool, as sent over JSON. Unset fields are nil.
type newPool struct {
	OriginalNumber *string  `json:"original_number"`
	AreaCode       *string  `json:"area_code"`
	Description    *string  `json:"description"`
	IsDNI          *bool    `json:"is_dni"`
	IsPrompted     *bool    `json:"is_prompted"`
	IsRecorded     *bool    `json:"is_recorded"`
	PoolType       *string  `json:"pool_type"`
	PropertyToken  *string  `json:"property_token"`
	Size           *int32   `json:"size"`
	Utilization    *float64 `json:"utilization"`
}

// invalidField is the error for an invalid field of a request. Its value is the field's name.
type invalidField string

func (field invalidField) Error() string {
	return fmt.Sprintf("%s is invalid", string(field))
}

// validate returns the error of the first invalid field; nil if the request is valid.
func (p *newPool) validate() error {
	isManual := p.PoolType != nil && *p.PoolType == manual
	switch {
	case p.OriginalNumber == nil || !isPhoneNumber(*p.OriginalNumber):
		return invalidField("original_number")
	case p.AreaCode == nil || !isDigits(*p.AreaCode, 1, 5):
		return invalidField("area_code")
	case p.Description != nil && utf8.RuneCountInString(*p.Description) > 1000:
		return invalidField("description")
	case p.IsDNI == nil:
		return invalidField("is_dni")
	case p.IsPrompted == nil:
		return invalidField("is_prompted")
	case p.IsRecorded == nil:
		return invalidField("is_recorded")
	case p.PoolType == nil || !isManual && *p.PoolType != automanaged && *p.PoolType != automated:
		return invalidField("pool_type")
	case p.Size == nil || *p.Size < 1 || *p.Size > 10_000:
		return invalidField("size")
	case p.PropertyToken == nil && !isManual, p.PropertyToken != nil && !isToken(*p.PropertyToken):
		return invalidField("property_token")
	case !isManual && (p.Utilization == nil || !(*p.Utilization >= 0 && *p.Utilization <= 1)):
		return invalidField("utilization")
	}
	return nil
}

// values returns the parameters of the statement, except the first, the account.
func (p *newPool) values() []any {
	poolType, utilization := automanaged, p.Utilization
	if *p.PoolType == manual {
		poolType, utilization = manual, nil
	}
	return []any{
		*p.OriginalNumber, *p.AreaCode, p.Description, *p.IsDNI, *p.IsPrompted, *p.IsRecorded, poolType, p.PropertyToken,
		*p.Size, utilization,
	}
}

func isPhoneNumber(text string) bool {
	return len(text) > 1 && text[0] == '+' && text[1] != '0' && isDigits(text[1:], 7, 15)
}

func isDigits(text string, minLength, maxLength int) bool {
	if len(text) < minLength || len(text) > maxLength {
		return false
	}
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}

// isToken reports whether the text has 1 to 255 code points, and no separators, control or format characters.
func isToken(text string) bool {
	for _, char := range text {
		if unicode.In(char, unicode.Z, unicode.C) {
			return false
		}
	}
	length := utf8.RuneCountInString(text)
	return length >= 1 && length <= 255
}
