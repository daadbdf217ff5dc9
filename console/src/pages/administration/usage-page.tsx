import type { Schemas } from '@invoicecontrol/client/browser';
import { useState } from 'react';
import { Bars } from '../../controls/bars.js';
import { Choice } from '../../controls/choice.js';
import { Rows } from '../../controls/data-table.js';
import controls from '../../controls/controls.module.css';
import { Loaded } from '../../controls/loaded.js';
import { Page } from '../../controls/page.js';
import { locale } from '../../messages/language.js';
import { rights } from '../../rights.js';
import { useUsage, useUsageHistory } from './queries.js';
import { texts as all } from './texts.js';

const texts = all.usage;
type Usage = Schemas['Usage'];

export default function UsagePage() {
  return (
    <Page title={texts.title} right={rights.readOrganization}>
      <Loaded query={useUsage()}>{(usage) => <UsageNow usage={usage} />}</Loaded>
      <h2>{texts.history}</h2>
      <Loaded query={useUsageHistory()}>{({ items }) => <History months={items} />}</Loaded>
    </Page>
  );
}

function nameOf(meter: string): string {
  return texts.meters[meter] ?? meter;
}

function UsageNow({ usage: { period, items } }: { readonly usage: Usage }) {
  return (
    <>
      <p className={controls['help']}>{texts.intro(period)}</p>
      <Rows
        label={texts.title}
        rows={items}
        keyOf={({ meter }) => meter}
        columns={[
          [texts.meter, ({ meter }) => nameOf(meter)],
          [texts.used, ({ used }) => used.toLocaleString(locale)],
          [texts.limit, ({ limit }) => limit?.toLocaleString(locale) ?? texts.noLimit],
          [
            texts.share,
            ({ meter, used, limit }) =>
              limit === null ? (
                '–'
              ) : (
                <meter
                  aria-label={nameOf(meter)}
                  max={Math.max(limit, 1)}
                  high={limit * 0.9}
                  optimum={0}
                  value={used}
                />
              ),
          ],
        ]}
      />
    </>
  );
}

/** What was used in each month: one meter as a chart, and all meters as a table. */
function History({ months }: { readonly months: readonly Usage[] }) {
  const meters = months[0]?.items.map(({ meter }) => meter) ?? [];
  const [chosen, setChosen] = useState('');
  const meter = chosen === '' ? meters[0] : chosen;
  if (meter === undefined) return null;
  const usedOf = ({ items }: Usage, name: string): number => items.find((one) => one.meter === name)?.used ?? 0;
  return (
    <>
      <Choice
        label={texts.chart}
        value={meter}
        onChange={setChosen}
        options={meters.map((one) => [one, nameOf(one)] as const)}
      />
      <Bars
        label={texts.chartOf(nameOf(meter))}
        bars={months.toReversed().map((month) => ({ name: month.period, value: usedOf(month, meter) }))}
      />
      <Rows
        label={texts.history}
        rows={months}
        keyOf={({ period }) => period}
        columns={[
          [texts.month, ({ period }) => period],
          ...meters.map((one) => [nameOf(one), (month: Usage) => usedOf(month, one).toLocaleString(locale)] as const),
        ]}
      />
    </>
  );
}
