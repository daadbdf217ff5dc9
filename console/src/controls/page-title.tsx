import { useEffect } from 'react';
import { messages } from '../messages/messages.js';

/** The heading of a console page, which is also the title of the window. */
export function PageTitle({ children }: { readonly children: string }) {
  useEffect(() => {
    document.title = messages.title(children);
  }, [children]);
  return <h1>{children}</h1>;
}
