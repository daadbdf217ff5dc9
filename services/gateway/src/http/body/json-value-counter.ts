const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;

/**
 * Counts the values of a JSON text while its bytes arrive, before anything is parsed (ADR 0029). Outside strings each comma
 * and each opening bracket or brace announces at most one value, so the count is never below the number of values that
 * `JSON.parse` makes, of which objects and lists without members are counted twice. Bytes of a multi-byte character are
 * never one of these five, so neither the place where chunks are cut nor an invalid encoding changes the count.
 */
export class JsonValueCounter {
  #values = 1;
  #isInString = false;
  #isEscaped = false;

  /** @returns how many values the text has so far, at most */
  add(chunk: Uint8Array): number {
    let values = this.#values;
    let isInString = this.#isInString;
    let isEscaped = this.#isEscaped;
    // An index, because this runs for every byte: four times as fast as an iterator.
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isInString = false;
      } else if (byte === QUOTE) {
        isInString = true;
      } else if (byte === COMMA || byte === OPEN_LIST || byte === OPEN_OBJECT) {
        values += 1;
      }
    }
    this.#values = values;
    this.#isInString = isInString;
    this.#isEscaped = isEscaped;
    return values;
  }
}
