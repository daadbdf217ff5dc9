import type { RecordsOf, StreamName } from '../domain/streams.js';
import type { Page, Session, Window } from '../providers/provider.js';

/** All pages of a stream. */
export async function readPages<S extends StreamName>(
  session: Session,
  stream: S,
  window: Window = {},
): Promise<readonly Page<RecordsOf[S]>[]> {
  const pages: Page<RecordsOf[S]>[] = [];
  for await (const page of session.read(stream, window)) pages.push(page);
  return pages;
}

/** All records of a stream. */
export async function readRecords<S extends StreamName>(
  session: Session,
  stream: S,
  window: Window = {},
): Promise<readonly RecordsOf[S][]> {
  return (await readPages(session, stream, window)).flatMap(({ records }) => records);
}

/** All ids of a stream, in their order as texts. */
export async function readIds(session: Session, stream: StreamName): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const page of session.ids(stream)) ids.push(...page.ids);
  return ids.toSorted();
}
