# Python 3.9 or newer, standard library:
#   WEBHOOK_SECRET=whsec_... PORT=4100 python3 receiver.py
import hashlib
import hmac
import json
import os
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BODY_BYTES_MAX = 1024**2
TOLERANCE_SECONDS = 300

secret = os.environ.get("WEBHOOK_SECRET", "").strip()
if not secret:
    # Without a secret anybody could sign.
    sys.exit("WEBHOOK_SECRET is missing.")

# In production, insert the id of the event into your database with a unique index, in the transaction that does
# the work.
handled = set()
handling = threading.Lock()


def is_signed(event_id: str, header: str, body: bytes) -> bool:
    entries = [entry.partition("=") for entry in header.split(",")]
    times = [value for name, _, value in entries if name == "t"]
    if len(times) != 1 or not re.fullmatch(r"[0-9]{1,12}", times[0]):
        return False
    if not re.fullmatch(r"evt_[A-Za-z0-9_-]{1,124}", event_id):
        return False
    text = f"{event_id}.{times[0]}.".encode() + body
    expected = hmac.new(secret.encode(), text, hashlib.sha256).hexdigest().encode()
    # There are two v1 for a day after a rotation; any may match. compare_digest takes the same time wherever they differ.
    matches = [hmac.compare_digest(expected, value.encode()) for name, _, value in entries if name == "v1"]
    return any(matches) and abs(time.time() - int(times[0])) <= TOLERANCE_SECONDS


def handle(event: dict) -> None:
    # If the work may take longer than 15 seconds, store the event here and do the work later.
    print("handled", event["id"], event["type"], flush=True)


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch(r"[0-9]{1,9}", length) or int(length) > BODY_BYTES_MAX:
            self.close_connection = True
            return self.answer(413)
        # Reads the raw bytes, before anything parses them. In Flask: request.get_data(); in Django: request.body.
        body = self.rfile.read(int(length))
        event_id = self.headers.get("svc-event-id", "")
        if not is_signed(event_id, self.headers.get("svc-signature", ""), body):
            return self.answer(400)
        try:
            with handling:
                if event_id not in handled:
                    handle(json.loads(body))
                    handled.add(event_id)
        except Exception as error:
            # A delivery that fails now is sent again.
            print(error, file=sys.stderr)
            return self.answer(500)
        self.answer(204)

    def answer(self, status: int) -> None:
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_arguments) -> None:
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "4100"))), Receiver)
print("listening on port", server.server_port, flush=True)
server.serve_forever()
