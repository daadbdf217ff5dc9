import type { PaymentLine } from '../../client.js';
import { Button } from '../../controls/button.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { formatMoment } from '../../format/moment.js';
import { usePeople } from '../../people.js';
import styles from './payment-runs.module.css';
import { runTexts } from './texts.js';

const texts = runTexts.line;
/** A payment line with this reason is never released. */
const NEVER_RELEASED = 'ACCOUNT_CONFIRMED_FRAUD';

/**
 * Shows who released a payment line and what its release waits for, and offers what this person may do.
 * @param onRelease absent if the person may not release lines
 */
export function LineRelease({
  line,
  onRelease,
}: {
  readonly line: PaymentLine;
  readonly onRelease: (() => void) | undefined;
}) {
  const { isMe } = usePeople();
  const { release, verdict, givenAt, reasons } = line;
  if (verdict === 'PAY' || givenAt !== null) return release === null ? null : <ReleaseFacts release={release} />;
  if (reasons.some(({ code }) => code === NEVER_RELEASED)) return <p>{texts.neverReleased}</p>;
  if (release === null) return onRelease === undefined ? null : <Button onPress={onRelease}>{texts.release}</Button>;
  const isOwn = isMe(release.by);
  const isWaiting = !release.confirmed;
  return (
    <div className={styles['release']}>
      <ReleaseFacts release={release} />
      {release.inForce && <p>{texts.inForce}</p>}
      {isWaiting && <p>{isOwn ? texts.waitingOwn : texts.waiting}</p>}
      {!isWaiting && !release.inForce && <p>{texts.overtaken}</p>}
      {!release.inForce && onRelease !== undefined && !(isWaiting && isOwn) && (
        <Button onPress={onRelease}>{isWaiting ? texts.confirm : texts.release}</Button>
      )}
    </div>
  );
}

function ReleaseFacts({ release }: { readonly release: NonNullable<PaymentLine['release']> }) {
  const { nameOf } = usePeople();
  return (
    <>
      <p>{texts.released(nameOf(release.by), formatMoment(release.at))}</p>
      <blockquote>
        <ForeignText>{release.note}</ForeignText>
      </blockquote>
      {release.confirmedBy !== undefined && <p>{texts.confirmed(nameOf(release.confirmedBy))}</p>}
    </>
  );
}
