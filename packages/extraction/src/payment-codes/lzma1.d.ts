/**
 * Types for lzma1. The package names its own sources as its types, and these sources do not compile with the strict
 * options of this repository.
 */
export function decompress(data: Uint8Array): Uint8Array;
