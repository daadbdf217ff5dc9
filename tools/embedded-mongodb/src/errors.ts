/** The MongoDB error codes of this server, by MongoDB's names. */
export const ERROR_CODES = {
  BadValue: 2,
  FailedToParse: 9,
  TypeMismatch: 14,
  IllegalOperation: 20,
  NamespaceNotFound: 26,
  IndexNotFound: 27,
  PathNotViable: 28,
  ConflictingUpdateOperators: 40,
  CursorNotFound: 43,
  DollarPrefixedFieldName: 52,
  EmptyFieldName: 56,
  CommandNotFound: 59,
  ImmutableField: 66,
  CannotCreateIndex: 67,
  InvalidOptions: 72,
  InvalidNamespace: 73,
  IndexOptionsConflict: 85,
  IndexKeySpecsConflict: 86,
  CommandNotSupported: 115,
  CannotIndexParallelArrays: 171,
  BSONObjectTooLarge: 10334,
  DuplicateKey: 11000,
  Location31249: 31249,
  Location31253: 31253,
  Location31254: 31254,
  Location40324: 40324,
  Location40414: 40414,
} as const;

export type ErrorName = keyof typeof ERROR_CODES;

/** An error that the client receives, with MongoDB's code, name and extra fields (keyPattern, keyValue). */
export class MongoError extends Error {
  readonly code: number;
  readonly codeName: ErrorName;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(codeName: ErrorName, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = 'MongoError';
    this.code = ERROR_CODES[codeName];
    this.codeName = codeName;
    this.details = details;
  }
}

/** Ends the command, or one statement of a batch, with an error for the client. */
export function fail(codeName: ErrorName, message: string, details?: Readonly<Record<string, unknown>>): never {
  throw new MongoError(codeName, message, details);
}

/** Fails for a feature of MongoDB that this server deliberately lacks. */
export function failUnsupported(what: string): never {
  throw new MongoError('CommandNotSupported', `${what} is not supported by the embedded server; use a real MongoDB`);
}
