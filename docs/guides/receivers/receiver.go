// Go 1.21 or newer, standard library:
//
//	WEBHOOK_SECRET=whsec_... PORT=4100 go run receiver.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	bodyBytesMax     = 1 << 20
	toleranceSeconds = 300
)

var (
	eventIDForm = regexp.MustCompile(`^evt_[A-Za-z0-9_-]{1,124}$`)
	timeForm    = regexp.MustCompile(`^[0-9]{1,12}$`)

	secret = []byte(strings.TrimSpace(os.Getenv("WEBHOOK_SECRET")))

	// In production, insert the id of the event into your database with a unique index, in the transaction that does
	// the work.
	handled  = map[string]bool{}
	handling sync.Mutex
)

type event struct {
	ID   string          `json:"id"`
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

func isSigned(eventID, header string, body []byte) bool {
	var times, signatures []string
	for _, entry := range strings.Split(header, ",") {
		switch name, value, _ := strings.Cut(entry, "="); name {
		case "t":
			times = append(times, value)
		case "v1":
			signatures = append(signatures, value)
		}
	}
	if len(times) != 1 || !timeForm.MatchString(times[0]) || !eventIDForm.MatchString(eventID) {
		return false
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(eventID + "." + times[0] + "."))
	mac.Write(body)
	expected := []byte(hex.EncodeToString(mac.Sum(nil)))
	matches := false
	for _, signature := range signatures {
		// There are two v1 for a day after a rotation; any may match. hmac.Equal takes the same time wherever they differ.
		matches = hmac.Equal(expected, []byte(signature)) || matches
	}
	signedAt, _ := strconv.ParseInt(times[0], 10, 64)
	age := time.Now().Unix() - signedAt
	return matches && -toleranceSeconds <= age && age <= toleranceSeconds
}

func handle(received event) error {
	// If the work may take longer than 15 seconds, store the event here and do the work later.
	fmt.Println("handled", received.ID, received.Type)
	return nil
}

func receive(response http.ResponseWriter, request *http.Request) {
	if request.Method != http.MethodPost {
		response.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	// Reads the raw bytes, before anything parses them.
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, bodyBytesMax))
	if err != nil {
		response.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	eventID := request.Header.Get("svc-event-id")
	if !isSigned(eventID, request.Header.Get("svc-signature"), body) {
		response.WriteHeader(http.StatusBadRequest)
		return
	}
	handling.Lock()
	defer handling.Unlock()
	if !handled[eventID] {
		var received event
		err := json.Unmarshal(body, &received)
		if err == nil {
			err = handle(received)
		}
		if err != nil {
			// A delivery that fails now is sent again.
			log.Print(err)
			response.WriteHeader(http.StatusInternalServerError)
			return
		}
		handled[eventID] = true
	}
	response.WriteHeader(http.StatusNoContent)
}

func main() {
	if len(secret) == 0 {
		// Without a secret anybody could sign.
		log.Fatal("WEBHOOK_SECRET is missing.")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "4100"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening on", listener.Addr())
	server := &http.Server{
		Handler:           http.HandlerFunc(receive),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
	}
	log.Fatal(server.Serve(listener))
}
