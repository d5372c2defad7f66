/**
 * Lines for a stream that many processes share. What is written in one turn of the event loop goes out together, because a
 * system call for each line would be a good part of what a request costs; what is left when the process exits goes out then.
 */
import { Buffer } from 'node:buffer';
import process from 'node:process';

/** What a pipe takes in one piece (PIPE_BUF): lines of several processes never mix. */
const PIECE = 4096;

export function lineWriter(write: (text: string) => void): (line: string) => void {
  let waiting = '';
  let size = 0;
  const flush = () => {
    const text = waiting;
    waiting = '';
    size = 0;
    if (text !== '') write(text);
  };
  process.on('exit', flush);
  return (line) => {
    const bytes = Buffer.byteLength(line) + 1;
    if (size + bytes > PIECE) flush();
    if (size === 0) setImmediate(flush);
    waiting += `${line}\n`;
    size += bytes;
  };
}
