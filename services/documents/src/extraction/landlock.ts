/** Versions of its interface since which Landlock denies each operation (linux/landlock.h, and the kernel's documentation of Landlock). */
export const LANDLOCK_SINCE = {
  /** Linux 5.13: reading, writing, executing, making and removing of every kind. */
  files: 1,
  /** Linux 5.19: moving and linking into other directories, which older versions deny without being asked. */
  moving: 2,
  /** Linux 6.2 */
  truncation: 3,
  /** Linux 6.7: bind and connect. */
  tcp: 4,
  /** Linux 6.12: abstract sockets, and signals to processes outside. */
  scopes: 6,
} as const;

/**
 * Lists in words for the log the operations of a confined process that a kernel with this version of Landlock's interface does not deny.
 */
export function notDenied(version: number): readonly string[] {
  return [
    ...(version < LANDLOCK_SINCE.truncation ? ['truncation of files'] : []),
    ...(version < LANDLOCK_SINCE.tcp ? ['TCP'] : []),
    ...(version < LANDLOCK_SINCE.scopes ? ['signals', 'abstract Unix sockets'] : []),
    // No version that `confined.ts` knows denies these.
    'UDP',
    'Unix sockets with a path',
    'attributes of files',
  ];
}
