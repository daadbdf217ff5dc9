import { ActButton } from '../../controls/act-button.js';
import controls from '../../controls/controls.module.css';
import { Facts } from '../../controls/facts.js';
import { Loaded } from '../../controls/loaded.js';
import { Page } from '../../controls/page.js';
import { client } from '../../client.js';
import { formatMoment } from '../../format/moment.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { useSubscription } from './queries.js';
import { texts as all } from './texts.js';

const texts = all.billing;

export default function BillingPage() {
  return (
    <Page title={texts.title} right={rights.readAdministration}>
      <Subscription />
    </Page>
  );
}

function Subscription() {
  const mayPay = may(useCaller(), rights.pay);
  return (
    <Loaded query={useSubscription()}>
      {({ plan, status, billingInterval, additionalLegalEntities, periodEnd, scheduledChange, duplicates }) => (
        <>
          <Facts
            facts={{
              [texts.plan]: plan,
              [texts.status]: texts.statuses[status],
              [texts.interval]: billingInterval === null ? undefined : texts.intervals[billingInterval],
              [texts.entities]: additionalLegalEntities,
              [texts.periodEnd]: periodEnd === null ? undefined : formatMoment(periodEnd),
              [texts.change]:
                scheduledChange === null
                  ? undefined
                  : texts.changeAt(texts.changes[scheduledChange.action], formatMoment(scheduledChange.effectiveAt)),
            }}
          />
          {duplicates.length > 0 && (
            <div className={controls['notice']}>
              <p>{texts.duplicates}</p>
              <ul>
                {duplicates.map(({ subscriptionId, status: other }) => (
                  <li key={subscriptionId}>
                    <code>{subscriptionId}</code>: {texts.statuses[other]}
                  </li>
                ))}
              </ul>
            </div>
          )}
          {mayPay && (
            <>
              <ActButton
                refreshes={[]}
                act={async () => {
                  location.assign((await client.post('/billing/portal-session')).data.url);
                  return undefined;
                }}
              >
                {texts.portal}
              </ActButton>
              <p className={controls['help']}>{texts.portalHelp}</p>
            </>
          )}
        </>
      )}
    </Loaded>
  );
}
