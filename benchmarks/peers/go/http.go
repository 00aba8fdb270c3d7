package main

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"net/url"
	"strconv"
	"sync"
)

const maxBodyBytes = 4 << 20

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// newHandler returns the handler of the JSON paths.
func newHandler(pools *store) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /dni_manager/accounts/{account}/pools/{pool}", func(w http.ResponseWriter, r *http.Request) {
		found, err := pools.getPool(r.Context(), r.PathValue("account"), r.PathValue("pool"))
		if err != nil {
			writeError(w, err)
			return
		}
		writeJSON(w, http.StatusOK, func(b []byte) []byte { return appendPool(b, found) })
	})
	mux.HandleFunc("GET /dni_manager/accounts/{account}/pools", func(w http.ResponseWriter, r *http.Request) {
		found, err := pools.listPools(r.Context(), r.PathValue("account"))
		if err != nil {
			writeError(w, err)
			return
		}
		writeJSON(w, http.StatusOK, func(b []byte) []byte { return appendPools(b, found) })
	})
	mux.HandleFunc("POST /dni_manager/accounts/{account}/pools", func(w http.ResponseWriter, r *http.Request) {
		request, err := readNewPool(w, r)
		if err != nil {
			writeFailure(w, http.StatusBadRequest, err.Error())
			return
		}
		created, err := pools.createPool(r.Context(), r.PathValue("account"), request)
		if err != nil {
			writeError(w, err)
			return
		}
		account := url.PathEscape(created.accountToken)
		w.Header().Set("Location", "/dni_manager/accounts/"+account+"/pools/"+created.id.String())
		writeJSON(w, http.StatusCreated, func(b []byte) []byte { return appendPool(b, created) })
	})
	return mux
}

// readNewPool parses and validates a request body. It rejects unknown fields.
func readNewPool(w http.ResponseWriter, r *http.Request) (*newPool, error) {
	var request newPool
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&request); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("the body has more than one JSON value")
	}
	return &request, request.validate()
}

func writeJSON(w http.ResponseWriter, status int, appendBody func([]byte) []byte) {
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	*buffer = appendBody((*buffer)[:0])
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(len(*buffer)))
	w.WriteHeader(status)
	w.Write(*buffer)
}

func writeError(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, errAccountNotFound), errors.Is(err, errPoolNotFound):
		writeFailure(w, http.StatusNotFound, err.Error())
	case errors.Is(err, errNumberNotRegistered), errors.Is(err, errAccountDisabled):
		writeFailure(w, http.StatusBadRequest, err.Error())
	default:
		log.Print(err)
		writeFailure(w, http.StatusInternalServerError, "internal error")
	}
}

func writeFailure(w http.ResponseWriter, status int, message string) {
	writeJSON(w, status, func(b []byte) []byte {
		b = append(b, `{"error":{"code":`...)
		b = strconv.AppendInt(b, int64(status), 10)
		b = append(b, `,"message":`...)
		b = appendString(b, message)
		return append(b, "}}"...)
	})
}
