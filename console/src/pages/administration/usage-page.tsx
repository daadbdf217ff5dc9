import { Rows } from '../../controls/data-table.js';
import controls from '../../controls/controls.module.css';
import { Loaded } from '../../controls/loaded.js';
import { Page } from '../../controls/page.js';
import { locale } from '../../messages/language.js';
import { rights } from '../../rights.js';
import { useUsage } from './queries.js';
import { texts as all } from './texts.js';

const texts = all.usage;

export default function UsagePage() {
  return (
    <Page title={texts.title} right={rights.readOrganization}>
      <Usage />
    </Page>
  );
}

function Usage() {
  return (
    <Loaded query={useUsage()}>
      {({ period, items }) => (
        <>
          <p className={controls['help']}>{texts.intro(period)}</p>
          <Rows
            label={texts.title}
            rows={items}
            keyOf={({ meter }) => meter}
            columns={[
              [texts.meter, ({ meter }) => texts.meters[meter] ?? meter],
              [texts.used, ({ used }) => used.toLocaleString(locale)],
              [texts.limit, ({ limit }) => limit?.toLocaleString(locale) ?? texts.noLimit],
              [
                texts.share,
                ({ meter, used, limit }) =>
                  limit === null ? (
                    '–'
                  ) : (
                    <meter
                      aria-label={texts.meters[meter] ?? meter}
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
      )}
    </Loaded>
  );
}
