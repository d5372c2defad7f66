// Adds up vitest's JSON reports: prints "N passed, N failed, N skipped", counting a test file that could not run as failed.
import { readFileSync } from 'node:fs';

const sum = { passed: 0, failed: 0, skipped: 0 };
for (const path of process.argv.slice(2)) {
  const report = JSON.parse(readFileSync(path, 'utf8'));
  sum.passed += report.numPassedTests;
  sum.failed += report.numFailedTests;
  sum.skipped += report.numPendingTests + report.numTodoTests;
  sum.failed += report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length;
}
console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
process.exit(sum.failed === 0 && sum.passed > 0 ? 0 : 1);
