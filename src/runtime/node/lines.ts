/** Byte streams as lines of text. */

/** The lines of a stream, without their ends; a last line without an end counts. A stream that fails has ended. */
export async function* lines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of stream) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = parts.pop() ?? '';
      yield* parts;
    }
  } catch {
    // A pipe whose other end was killed: what came before is all there is.
  }
  if (rest !== '') yield rest;
}
