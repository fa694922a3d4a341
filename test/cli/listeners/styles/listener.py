"""A listener on Python's own HTTP server. Its one argument names the mistake that it makes; none makes none."""

import base64
import collections
import json
import os
import sys
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer

MISTAKE = sys.argv[1] if len(sys.argv) > 1 else ""
KEY, TOKEN, SERVICE = os.environ["KEY"], os.environ["TOKEN"], os.environ["SERVICE"]
EXPECTED = "Basic " + base64.b64encode(f"{KEY}:{TOKEN}".encode()).decode()

rows = []
done: "collections.OrderedDict[tuple, bool]" = collections.OrderedDict()
lock = threading.Lock()


def kind_of(payload):
    if payload.get("refund"):
        return "refund"
    if payload.get("sale") and "reversedAmount" in payload:
        return "reversal"
    if isinstance(payload.get("success"), bool):
        return "payout" if payload["success"] else "payoutFailed"
    if "newStatus" not in payload:
        return None
    return "payment" if payload["newStatus"] == "PAID" else "saleStatus"


def key_of(kind, payload):
    identity = (payload.get("refund") or {}).get("uuid") or payload.get("saleToken") or payload.get("uuid")
    return kind, identity, payload.get("newStatus") or payload.get("status")


def is_confirmed(payload):
    request = urllib.request.Request(
        f"{SERVICE}/v1.1/transactions/{payload['saleToken']}", headers={"x-api-key": KEY, "x-api-token": TOKEN}
    )
    with urllib.request.urlopen(request) as answer:
        sale = json.load(answer)
    return sale["situation"] == "PAID" and round(payload["amount"] * 100) == round(sale["amount"] * 100)


class Listener(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0" if MISTAKE == "" else "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == "/actions":
            self.answer(200, json.dumps(rows).encode())
        else:
            self.answer(405)

    do_PUT = do_PATCH = do_DELETE = do_GET

    def is_let_in(self):
        if MISTAKE == "title-case":
            return dict(self.headers).get("Authorization") == EXPECTED
        if MISTAKE == "lower-case":
            return dict(self.headers).get("authorization") == EXPECTED
        header = self.headers.get("Authorization") or ""
        if MISTAKE == "splits":
            parts = base64.b64decode(header[len("Basic ") :] + "==").decode(errors="replace").split(":")
            return header.startswith("Basic ") and parts[:2] == [KEY, TOKEN]
        return header == EXPECTED

    def do_POST(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(min(length, 4096) if MISTAKE == "short-read" else length)
        if not self.is_let_in():
            return self.answer(401)
        try:
            self.act(json.loads(body))
        except Exception:
            if MISTAKE != "swallows":
                return self.answer(500)
        self.answer(200)

    def act(self, payload):
        kind = kind_of(payload)
        key = key_of(kind, payload)
        if MISTAKE == "swallows" and kind == "refund":
            payload["bankDetails"]["bank"].upper()
        if MISTAKE == "asks" and kind == "payment" and not is_confirmed(payload):
            raise ValueError("not confirmed")
        with lock:
            if key in done:
                return
            done[key] = True
            if MISTAKE == "forgets" and len(done) > 3:
                done.popitem(last=False)
            if kind and not (kind == "reversal" and payload["status"] != "PAID"):
                refund = payload.get("refund") or {}
                amount = refund.get("amount") or payload.get("reversedAmount") or payload["amount"]
                if MISTAKE == "truncates":
                    amount = int(amount * 100) / 100
                rows.append({"kind": kind, "subject": key[1], "amount": amount})


server = (HTTPServer if MISTAKE == "single" else ThreadingHTTPServer)(("127.0.0.1", 0), Listener)
print(server.server_address[1], flush=True)
server.serve_forever()
