import { useState } from 'react';
import { useAddressFilters } from '../../address-filters.js';
import { ActButton } from '../../controls/act-button.js';
import { Button } from '../../controls/button.js';
import controls from '../../controls/controls.module.css';
import { Facts } from '../../controls/facts.js';
import { FormDialog } from '../../controls/form-dialog.js';
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

/** The subscription. The checkout of the payment provider leads back to this page. */
function Subscription() {
  const mayPay = may(useCaller(), rights.pay);
  const [read] = useAddressFilters();
  const isBought = read('checkout') === 'done';
  return (
    <Loaded query={useSubscription(isBought)}>
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
          {isBought && status === 'none' && (
            <p role="status" className={controls['notice']}>
              {texts.bought}
            </p>
          )}
          {mayPay && (status === 'none' || status === 'canceled') && <Purchase />}
          {mayPay && status !== 'none' && (
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

const plans = ['CORE', 'CONTROL', 'SCALE'] as const;
const intervals = ['month', 'year'] as const;
/** The numbers of additional companies that can be bought, as the choice shows them. */
const entityCounts = Array.from({ length: 101 }, (_, count) => `${count}`);

/** Asks what to buy, and leads to the page of the payment provider. */
function Purchase() {
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <div className={controls['toolbar']}>
        <Button variant="primary" onPress={() => setAsked(true)}>
          {texts.buy}
        </Button>
      </div>
      {isAsked && (
        <FormDialog
          title={texts.buy}
          text={<p>{texts.buyText}</p>}
          submit={texts.buySubmit}
          fields={{
            plan: {
              label: texts.buyPlan,
              kind: 'choice',
              value: 'CONTROL',
              options: plans.map((one) => [one, one] as const),
            },
            interval: {
              label: texts.buyInterval,
              kind: 'choice',
              value: 'month',
              options: intervals.map((one) => [one, texts.intervals[one]] as const),
            },
            entities: {
              label: texts.buyEntities,
              kind: 'choice',
              value: '0',
              options: entityCounts.map((one) => [one, one] as const),
            },
          }}
          refreshes={[]}
          act={async ({ plan, interval, entities }) => {
            const body = {
              plan_code: plans.find((one) => one === plan) ?? 'CONTROL',
              billing_interval: intervals.find((one) => one === interval) ?? 'month',
              additional_legal_entities: entityCounts.indexOf(entities),
            };
            location.assign((await client.post('/billing/checkout-session', { body })).data.url);
          }}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}
