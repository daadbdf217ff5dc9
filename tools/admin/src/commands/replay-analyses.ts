import { EXAMPLE_ID, organizationOption } from '../command.js';
import type { Command } from '../command.js';
import { readSample, sampleOptions, walkPages } from '../sample.js';

export const replayAnalyses: Command = {
  name: 'replay-analyses',
  summary: 'run stored facts through the engine again and compare the results byte for byte; changes nothing',
  service: 'analysis',
  options: { organization: organizationOption, ...sampleOptions },
  examples: [`--organization ${EXAMPLE_ID} --sample 1000`, `--organization ${EXAMPLE_ID} --all --json`],
  async run({ analysis, call }, given) {
    const organizationId = given['organization'] ?? '';
    const different: string[] = [];
    const earlierEngines = new Set<string>();
    let replayed = 0;
    let identical = 0;
    await walkPages(readSample(given), async (page) => {
      const answer = await analysis.replayAnalyses({ organizationId, ...page }, call);
      replayed += answer.replayed;
      identical += answer.identical;
      different.push(...answer.differentAnalysisIds);
      for (const version of answer.earlierEngineVersions) earlierEngines.add(version);
      return answer;
    });
    return {
      json: { replayed, identical, different, earlierEngines: [...earlierEngines] },
      sentence: outcome(replayed, different.length),
      values: {
        Replayed: String(replayed),
        Identical: String(identical),
        Different: different.join(' ') || 'none',
        'Earlier engines': [...earlierEngines].join(' ') || 'none',
      },
      ...(earlierEngines.size === 0
        ? {}
        : { note: 'Sentences in analyses of earlier engines were not compared: they may be worded differently now.' }),
    };
  },
};

function outcome(replayed: number, different: number): string {
  if (replayed === 0) return 'This organization has no analyses. Check its id.';
  return different === 0 ? 'Every analysis gives the same result.' : 'Some analyses now give a different result.';
}
