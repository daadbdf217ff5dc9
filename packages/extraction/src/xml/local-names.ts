/**
 * Converts an XML path such as `Header/ID` to a path that matches local names in any namespace, for formats without a
 * namespace that are nevertheless sent with one.
 */
export function local(path: string): string {
  return path
    .split('/')
    .map((step) => (/^[A-Za-z]/.test(step) ? step.replace(/^[A-Za-z0-9_]+/, "*[local-name() = '$&']") : step))
    .join('/');
}
