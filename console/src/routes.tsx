import { lazy, Suspense } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { Loading } from './controls/loading.js';
import { NotFoundPage } from './pages/not-found-page.js';
import { may, rights } from './rights.js';
import { useCaller } from './session.js';

const FindingsPage = lazy(() => import('./pages/findings/findings-page.js'));
const InvoicesPage = lazy(() => import('./pages/invoices/invoices-page.js'));
const InvoicePage = lazy(() => import('./pages/invoices/invoice-page.js'));
const PaymentRunsPage = lazy(() => import('./pages/payment-runs/payment-runs-page.js'));
const PaymentRunPage = lazy(() => import('./pages/payment-runs/payment-run-page.js'));

/** The pages of the console by path. Each is a chunk of its own. */
export function Pages() {
  const caller = useCaller();
  return (
    <Suspense fallback={<Loading />}>
      <Switch>
        <Route path="/">
          <Redirect to={may(caller, rights.readPayments) ? '/payment-runs' : '/findings'} replace />
        </Route>
        <Route path="/findings/:findingId?" component={FindingsPage} />
        <Route path="/invoices" component={InvoicesPage} />
        <Route path="/invoices/:invoiceId">
          {({ invoiceId }) => <InvoicePage invoiceId={invoiceId} key={invoiceId} />}
        </Route>
        <Route path="/payment-runs" component={PaymentRunsPage} />
        <Route path="/payment-runs/:runId">{({ runId }) => <PaymentRunPage runId={runId} key={runId} />}</Route>
        <Route component={NotFoundPage} />
      </Switch>
    </Suspense>
  );
}
