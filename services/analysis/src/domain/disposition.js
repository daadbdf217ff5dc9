const COUNTING = new Set(['OPEN', 'UNDER_REVIEW', 'CONFIRMED']);
/** Whether a finding weighs in score and decision. */
export function isCounting({ disposition }) {
  return COUNTING.has(disposition);
}
/** The pairs that reviews have cleared. */
export function clearedPairsOf(reviews) {
  return reviews.flatMap(({ disposition, pairKeys }) => (disposition === 'FALSE_POSITIVE' ? pairKeys : []));
}
/** The keys of the pairs that a finding is about. */
export function pairKeysOf({ subjects }) {
  return subjects.flatMap((subject) => (subject.kind === 'PAIR' ? subject.pairKey : []));
}
/**
 * What reviews make of a finding. A FALSE_POSITIVE holds for every finding with its key and for every finding about
 * pairs that are all cleared; any other outcome holds for the findings of the reviewed invoice alone (detection
 * reference, section 10).
 * @param invoiceId null for a finding about a scan or the books as a whole
 */
export function dispositionOf(finding, reviews, invoiceId) {
  const ofKey = reviews.filter(({ evidenceKey }) => evidenceKey === finding.evidence.key);
  const own = ofKey.find((review) => review.invoiceId === invoiceId);
  if (own !== undefined) return own.disposition;
  const pairs = pairKeysOf(finding);
  const cleared = clearedPairsOf(reviews);
  const isCleared = pairs.length > 0 && pairs.every((pair) => cleared.includes(pair));
  return isCleared || ofKey.some(({ disposition }) => disposition === 'FALSE_POSITIVE') ? 'FALSE_POSITIVE' : 'OPEN';
}
//# sourceMappingURL=disposition.js.map
