# SPDX-License-Identifier: Apache-2.0
"""A server on the loopback interface with one persistent connection."""

import http.client
import json
import os
import socket
import subprocess
import time
import urllib.parse

PATIENCE = 60


class Server:
    """Starts and stops a program with an HTTP interface."""

    def __init__(self, log, threads):
        self.log, self.threads = log, threads
        self.process = self.connection = None
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]

    def start(self, command, ping):
        environment = dict(os.environ, GOMAXPROCS=str(self.threads))
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if self.process.poll() is not None:
                break
            try:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
                self.ask("GET", ping)
                return
            except OSError:
                time.sleep(0.01)
        with open(self.log) as log:
            last = (log.read().strip().split("\n") or [""])[-1]
        self.stop()
        raise RuntimeError(f"the server did not start: {last}")

    def stop(self):
        if self.process is not None:
            self.process.terminate()
            self.process.wait(PATIENCE)
            self.process = None

    @property
    def is_running(self):
        return self.process is not None

    def ask(self, method, path, body=None):
        try:
            self.connection.request(method, path, body)
            answer = self.connection.getresponse()
        except (BrokenPipeError, ConnectionResetError, http.client.RemoteDisconnected):
            # The server closes idle connections.
            self.connection.close()
            self.connection.request(method, path, body)
            answer = self.connection.getresponse()
        data = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{answer.status} {data[:200]!r}")
        return data

    def get(self, path, **query):
        return self.ask("GET", f"{path}?{urllib.parse.urlencode(query)}")

    def result(self, path, **query):
        return json.loads(self.get(path, **query))["data"]["result"]
