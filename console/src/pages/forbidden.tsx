import { PageTitle } from '../controls/page-title.js';
import { messages } from '../messages/messages.js';
import type { Right } from '../rights.js';

/** Explains which right a page of the console requires, to a person who opened its address without the right. */
export function Forbidden({ right }: { readonly right: Right }) {
  return (
    <>
      <PageTitle>{messages.forbidden.title}</PageTitle>
      <p>{messages.forbidden.text(right.role, right.scope)}</p>
    </>
  );
}
