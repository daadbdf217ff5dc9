/** Streams, environment and signals of the process that the command line client uses. A test replaces them. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readFile(path: string): Promise<Uint8Array>;
  /** Reads the file with the address and the API key that `npm start` writes. */
  readDemonstration(): Promise<string>;
  print(line: string): void;
  printError(line: string): void;
  /** Signal that is aborted when the user ends the command of the CLI. */
  readonly signal: AbortSignal;
}
