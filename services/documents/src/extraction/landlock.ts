/**
 * Versions of the interface in which Landlock can deny each operation (linux/landlock.h and the kernel's Landlock
 * documentation).
 */
export const LANDLOCK_SINCE = {
  /** Linux 5.13: reading, writing, executing, creating and removing files of all kinds. */
  files: 1,
  /** Linux 5.19: moving and linking files into other directories. Older versions always deny this. */
  moving: 2,
  /** Linux 6.2: truncating files. */
  truncation: 3,
  /** Linux 6.7: bind and connect of TCP sockets. */
  tcp: 4,
  /** Linux 6.12: abstract sockets, and signals to processes outside. */
  scopes: 6,
} as const;

/**
 * Lists, in words for the log, the operations that a kernel with this Landlock version does not deny to a confined
 * process.
 */
export function notDenied(version: number): readonly string[] {
  return [
    ...(version < LANDLOCK_SINCE.truncation ? ['truncation of files'] : []),
    ...(version < LANDLOCK_SINCE.tcp ? ['TCP'] : []),
    ...(version < LANDLOCK_SINCE.scopes ? ['signals', 'abstract Unix sockets'] : []),
    // No version that `confined.ts` supports denies these operations.
    'UDP',
    'Unix sockets with a path',
    'attributes of files',
  ];
}
