import type { Schemas } from '@invoicecontrol/client/browser';
import { Link } from 'wouter';
import { ForeignText } from '../../controls/foreign-text.js';
import { Loaded } from '../../controls/loaded.js';
import { reviewTexts } from '../../findings/texts.js';
import { formatMoment } from '../../format/moment.js';
import { usePeople } from '../../people.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { useTimeline } from './queries.js';

const texts = reviewTexts.invoice.timeline;
type Entry = Schemas['TimelineEntry'];

/** The events in the life of an invoice, oldest first, and the ways to its webhook deliveries and KSeF submissions. */
export function Timeline({ invoiceId }: { readonly invoiceId: string }) {
  const caller = useCaller();
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline">{texts.title}</h2>
      <Loaded query={useTimeline(invoiceId)}>
        {({ items, isTruncated }) => (
          <>
            {isTruncated && <p>{texts.isTruncated}</p>}
            <ol>
              {items.map((entry, index) => (
                <li key={`${entry.at} ${index}`}>
                  <TimelineItem entry={entry} />
                </li>
              ))}
            </ol>
          </>
        )}
      </Loaded>
      {may(caller, rights.readWebhooks) && (
        <p>
          <Link to={`/webhooks?invoice=${invoiceId}`}>{texts.deliveries}</Link>
        </p>
      )}
      {may(caller, rights.readKsef) && (
        <p>
          <Link to={`/ksef?invoice=${invoiceId}`}>{texts.submissions}</Link>
        </p>
      )}
    </section>
  );
}

function TimelineItem({ entry: { at, kind, actor, ref, to, note } }: { readonly entry: Entry }) {
  const mayReadFindings = may(useCaller(), rights.readFindings);
  const { nameOf } = usePeople();
  const who = actor.type === 'SYSTEM' ? texts.system : nameOf(`${actor.type}:${actor.id}`, actor.name);
  const result = kind === 'FINDING_ASSIGNED' ? (to === null ? texts.nobody : nameOf(`USER:${to}`)) : resultOf(to);
  const what = result === undefined ? texts.kinds[kind] : `${texts.kinds[kind]}, ${result}`;
  return (
    <>
      {texts.entry(formatMoment(at), who)}
      {ref.type === 'finding' && mayReadFindings ? (
        <Link to={`/findings/${ref.id}?disposition=any`}>{what}</Link>
      ) : (
        what
      )}
      {note !== null && (
        <blockquote>
          <ForeignText>{note}</ForeignText>
        </blockquote>
      )}
    </>
  );
}

/** Returns the name of a decision or disposition. The type of a new finding is shown as it is. */
function resultOf(to: string | null): string | undefined {
  if (to === null) return undefined;
  const names: Readonly<Record<string, string>> = {
    ...reviewTexts.invoice.decisions,
    ...reviewTexts.finding.dispositions,
  };
  return names[to] ?? to;
}
