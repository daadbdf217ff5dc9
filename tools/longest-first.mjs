import { BaseSequencer } from 'vitest/node';

/** The slowest test files, in the order in which they are started. Each test run prints its ten slowest files. */
export const LONGEST = [
  'tests/detection/histories.test.ts',
  'services/erp-sync/src/providers/answers.test.ts',
  'services/documents/src/extraction/pool.test.ts',
  'packages/extraction/src/pdf/changed-documents.test.ts',
  'services/ksef/src/integration/submissions.int.test.ts',
  'services/analysis/src/integration/rows.int.test.ts',
  'services/scan/src/integration/crashes.int.test.ts',
  'services/analysis/src/integration/same-rows.int.test.ts',
  'tests/e2e/erp-sync.e2e.test.ts',
  'tests/e2e/start.e2e.test.ts',
  'tests/e2e/purge.e2e.test.ts',
  'tests/e2e/chaos.e2e.test.ts',
  'tests/e2e/crash-uploads.e2e.test.ts',
  'tests/e2e/crash-scans.e2e.test.ts',
  'tests/e2e/crash-load.e2e.test.ts',
];

/**
 * Starts the longest test files early, because a long file that starts last would run alone. The others keep the order
 * of vitest. The longest files are spread over the first third, because two of them at the same time would wait for
 * each other.
 */
export class LongestFirst extends BaseSequencer {
  async sort(specifications) {
    const sorted = await super.sort(specifications);
    const placeOf = ({ moduleId }) => LONGEST.findIndex((file) => moduleId.endsWith(`/${file}`));
    const long = sorted.filter((one) => placeOf(one) >= 0).sort((one, other) => placeOf(one) - placeOf(other));
    const others = sorted.filter((one) => placeOf(one) < 0);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) =>
      spread(
        long.filter((one) => one.project === project),
        others.filter((one) => one.project === project),
      ),
    );
  }
}

function spread(long, others) {
  const each = Math.floor(others.length / 3 / Math.max(long.length, 1));
  const rest = [...others];
  return [...long.flatMap((one) => [one, ...rest.splice(0, each)]), ...rest];
}
