import type { IncomingHttpHeaders } from 'node:http';
import { brotliCompress, constants, gzip } from 'node:zlib';
import Negotiator from 'negotiator';

/** Minimum size of a response that is compressed. Smaller responses fit into one packet of the network. */
export const COMPRESSED_BYTES_MIN = 1_024;
/** Maximum size of a response that is compressed, so that a compression takes a few hundredths of a second. */
export const COMPRESSED_BYTES_MAX = 8 * 1024 ** 2;
/**
 * Maximum number of responses that one process compresses at the same time. The compression uses threads that name
 * resolution and files need as well. Further responses are sent as they are.
 */
export const COMPRESSIONS_MAX = 2;

/** Brotli quality that is as fast as the lowest level of gzip and makes the result a third smaller. */
const BROTLI_QUALITY = 4;
/** Size of the brotli window as a power of two, which bounds the memory of a compression to about one MiB. */
const BROTLI_WINDOW_BITS = 18;
const GZIP_LEVEL = 1;

/**
 * Method of the library `negotiator` that takes the content codings preferred by the server. The types of the library
 * do not declare it.
 */
interface PreferringNegotiator {
  encoding(available: string[], options: { readonly preferred: readonly string[] }): string | undefined;
}

/** A response body with the content coding in which it is sent. */
export interface CompressedBody {
  readonly encoding: 'br' | 'gzip';
  readonly bytes: Buffer;
}

/** Compresses responses outside the event loop. */
export class Compressor {
  #running = 0;

  /**
   * Compresses the text of a response in the content coding that the caller prefers.
   * @returns undefined if the caller accepts neither brotli nor gzip, if the size of the text is not within the bounds,
   *   or if {@link COMPRESSIONS_MAX} responses are already being compressed
   */
  async compress(text: string, headers: IncomingHttpHeaders): Promise<CompressedBody | undefined> {
    const size = Buffer.byteLength(text);
    if (size < COMPRESSED_BYTES_MIN || size > COMPRESSED_BYTES_MAX || this.#running >= COMPRESSIONS_MAX)
      return undefined;
    const negotiator: PreferringNegotiator = new Negotiator({ headers });
    const encoding = negotiator.encoding(['br', 'gzip', 'identity'], { preferred: ['br', 'gzip'] });
    if (encoding !== 'br' && encoding !== 'gzip') return undefined;
    this.#running += 1;
    try {
      const bytes = await new Promise<Buffer>((resolve, reject) => {
        const done = (error: Error | null, compressed: Buffer): void =>
          error === null ? resolve(compressed) : reject(error);
        if (encoding === 'br') brotliCompress(text, brotliOptions(size), done);
        else gzip(text, { level: GZIP_LEVEL }, done);
      });
      return { encoding, bytes };
    } finally {
      this.#running -= 1;
    }
  }
}

function brotliOptions(size: number) {
  return {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: BROTLI_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: size,
    },
  };
}
