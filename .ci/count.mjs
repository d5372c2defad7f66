// Adds up vitest's JSON reports: prints what failed with its reason, then "N passed, N failed, N skipped". A file that
// failed although none of its tests did (a syntax error, a failing hook) counts as one failure.
import { readFileSync } from 'node:fs';

const REASON_LINES = 12;

const sum = { passed: 0, failed: 0, skipped: 0 };
const reasonOf = (message) => message.split('\n').slice(0, REASON_LINES).join('\n    ');

for (const path of process.argv.slice(2)) {
  const report = JSON.parse(readFileSync(path, 'utf8'));
  sum.passed += report.numPassedTests;
  sum.skipped += report.numPendingTests + report.numTodoTests;
  for (const file of report.testResults) {
    const failed = file.assertionResults.filter((result) => result.status === 'failed');
    if (file.status === 'failed' && failed.length === 0) {
      sum.failed += 1;
      console.log(`FAILED ${file.name}\n    ${reasonOf(file.message ?? '')}`);
    }
    sum.failed += failed.length;
    for (const result of failed) {
      console.log(`FAILED ${file.name} > ${result.fullName}\n    ${reasonOf(result.failureMessages.join('\n'))}`);
    }
  }
}
console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
process.exit(sum.failed === 0 && sum.passed > 0 ? 0 : 1);
