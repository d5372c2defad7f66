"""The `openstack` client, many commands in one process: each start of it costs a second.

Reads a JSON array of arguments a line and answers with one line: {"code", "stdout", "stderr"}. All else is the client as it is
installed; this only stands where its interactive prompt would.
"""

import io
import json
import sys

from openstackclient.shell import OpenStackShell


class Lines(OpenStackShell):
    def interact(self):
        # Wrong arguments end their command, not the shell.
        self.interactive_mode = False
        for line in requests:
            try:
                code = self.run_subcommand(json.loads(line))
            except SystemExit as end:
                code = end.code
            print(json.dumps({"code": code, "stdout": taken(sys.stdout), "stderr": taken(sys.stderr)}), file=answers, flush=True)


def taken(stream):
    said = stream.getvalue()
    stream.seek(0)
    stream.truncate()
    return said


requests, answers = sys.stdin, sys.stdout
sys.stdout, sys.stderr = io.StringIO(), io.StringIO()
Lines().run([])
# Where it could not even begin, this says why.
sys.__stderr__.write(sys.stderr.getvalue())
