"""The `openstack` client for many commands in one process, because each start of it costs a second.

Reads one JSON array of arguments a line and answers each with one line: {"code", "stdout", "stderr"}. Everything else is the
client as it is installed: this only stands where its interactive prompt would.
"""

import io
import json
import sys

from openstackclient.shell import OpenStackShell


class Lines(OpenStackShell):
    """The client's shell, asked by lines of JSON where a person would type."""

    def interact(self):
        # Wrong arguments end a command here, not the shell.
        self.interactive_mode = False
        for line in requests:
            try:
                code = self.run_subcommand(json.loads(line))
            except SystemExit as end:
                code = end.code
            answer(code)


def answer(code):
    said = {"code": code, "stdout": sys.stdout.getvalue(), "stderr": sys.stderr.getvalue()}
    for stream in (sys.stdout, sys.stderr):
        stream.seek(0)
        stream.truncate()
    print(json.dumps(said), file=answers, flush=True)


requests, answers = sys.stdin, sys.stdout
sys.stdout, sys.stderr = io.StringIO(), io.StringIO()
code = Lines().run([])
# Reached early when the client could not start at all.
if code != 1 or sys.stderr.getvalue():
    answer(code)
