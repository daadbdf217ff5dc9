/**
 * For each operation, the first version of the kernel interface Landlock in which it can be denied to a process
 * (linux/landlock.h and the kernel's Landlock documentation).
 */
export const LANDLOCK_SINCE = {
  /**
   * First version of Landlock in which reading, writing, executing, creating and removing files of all kinds can be
   * denied to a process (Linux 5.13).
   */
  files: 1,
  /**
   * First version of Landlock in which moving and linking files into other directories can be allowed (Linux 5.19).
   * Older versions always deny it.
   */
  moving: 2,
  /** First version of Landlock in which truncating files can be denied (Linux 6.2). */
  truncation: 3,
  /** First version of Landlock in which bind and connect of TCP sockets can be denied (Linux 6.7). */
  tcp: 4,
  /**
   * First version of Landlock in which abstract sockets, and signals to processes outside, can be denied (Linux 6.12).
   */
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
    // Operations that cannot be denied to a confined process by any version of the kernel interface that `confined.ts`
    // supports.
    'UDP',
    'Unix sockets with a path',
    'attributes of files',
  ];
}
