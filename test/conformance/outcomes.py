"""Reads a subunit stream from standard input, writes one JSON object a line: {"id", "status", "reason"}.

A class that is skipped or fails while it is set up has one outcome, by the name of the class.
"""
import json
import re
import sys

import subunit
import testtools

STATUS = {'success': 'passed', 'xfail': 'passed', 'skip': 'skipped'}


def reason_of(details):
    for name in ('reason', 'traceback'):
        if name in details:
            return details[name].as_text()
    return '\n'.join(content.as_text() for name, content in details.items() if 'traceback' in name)


def tell(test):
    status = STATUS.get(test['status'], 'failed')
    whole_class = re.match(r'(?:setUp|tearDown)Class \((.*)\)', test['id'])
    lines = [line for line in reason_of(test['details']).splitlines() if line.strip()]
    print(json.dumps({
        'id': whole_class.group(1) if whole_class else re.sub(r'\[.*', '', test['id']),
        'class': bool(whole_class),
        'status': status,
        'reason': '' if status == 'passed' or not lines else '\n'.join(lines[-3:])[:600],
    }))


result = testtools.StreamToDict(tell)
result.startTestRun()
subunit.ByteStreamToStreamResult(sys.stdin.buffer, non_subunit_name='stdout').run(result)
result.stopTestRun()
