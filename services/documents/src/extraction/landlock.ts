/** Since which version of its interface Landlock denies what (linux/landlock.h, and the kernel's documentation of Landlock). */
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

/** What a confined process can still do on a kernel with this version of Landlock's interface, in words for the log. */
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
