import { showInvisible } from '../format/visible-text.js';

/** A text of a supplier or a file, which cannot change how the texts around it are read. */
export function ForeignText({ children }: { readonly children: string }) {
  return <bdi>{showInvisible(children)}</bdi>;
}
