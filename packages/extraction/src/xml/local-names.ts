/**
 * `Header/ID` as a path that matches local names in any namespace: for formats whose elements have no namespace, and are
 * seen with one all the same.
 */
export function local(path: string): string {
  return path
    .split('/')
    .map((step) => (/^[A-Za-z]/.test(step) ? step.replace(/^[A-Za-z0-9_]+/, "*[local-name() = '$&']") : step))
    .join('/');
}
