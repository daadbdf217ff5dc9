import { lazy, Suspense } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { ErrorBoundary } from './controls/error-boundary.js';
import { Loading } from './controls/loading.js';
import { NotFoundPage } from './pages/not-found-page.js';
import { may, rights } from './rights.js';
import { useCaller } from './session.js';

const FindingsPage = lazy(() => import('./pages/findings/findings-page.js'));
const InvoicesPage = lazy(() => import('./pages/invoices/invoices-page.js'));
const InvoicePage = lazy(() => import('./pages/invoices/invoice-page.js'));
const PaymentRunsPage = lazy(() => import('./pages/payment-runs/payment-runs-page.js'));
const PaymentRunPage = lazy(() => import('./pages/payment-runs/payment-run-page.js'));
const UploadsPage = lazy(() => import('./pages/uploads/uploads-page.js'));
const UploadPage = lazy(() => import('./pages/uploads/upload-page.js'));
const WebhooksPage = lazy(() => import('./pages/webhooks/webhooks-page.js'));
const WebhookPage = lazy(() => import('./pages/webhooks/webhook-page.js'));
const DeliveryPage = lazy(() => import('./pages/webhooks/delivery-page.js'));
const MembersPage = lazy(() => import('./pages/administration/members-page.js'));
const KeysPage = lazy(() => import('./pages/administration/keys-page.js'));
const CompaniesPage = lazy(() => import('./pages/administration/companies-page.js'));
const RulesPage = lazy(() => import('./pages/administration/rules-page.js'));
const UsagePage = lazy(() => import('./pages/administration/usage-page.js'));
const BillingPage = lazy(() => import('./pages/administration/billing-page.js'));
const AuditPage = lazy(() => import('./pages/administration/audit-page.js'));
const NotificationsPage = lazy(() => import('./pages/administration/notifications-page.js'));
const SettingsPage = lazy(() => import('./pages/administration/settings-page.js'));
const SuppliersPage = lazy(() => import('./pages/suppliers/suppliers-page.js'));
const SupplierPage = lazy(() => import('./pages/suppliers/supplier-page.js'));
const VendorsPage = lazy(() => import('./pages/suppliers/vendors-page.js'));
const VendorPage = lazy(() => import('./pages/suppliers/vendor-page.js'));
const ScansPage = lazy(() => import('./pages/report/scans-page.js'));
const LedgerPage = lazy(() => import('./pages/report/ledger-page.js'));
const ScanPage = lazy(() => import('./pages/report/scan-page.js'));
const ReportPage = lazy(() => import('./pages/report/report-page.js'));
const ErpConnectionsPage = lazy(() => import('./pages/erp/erp-connections-page.js'));
const ErpConnectionPage = lazy(() => import('./pages/erp/erp-connection-page.js'));
const KsefConnectionsPage = lazy(() => import('./pages/ksef/ksef-connections-page.js'));
const KsefConnectionPage = lazy(() => import('./pages/ksef/ksef-connection-page.js'));
const KsefSubmissionPage = lazy(() => import('./pages/ksef/ksef-submission-page.js'));

/** The pages of the console by path. Each is a chunk of its own. */
export function Pages() {
  const caller = useCaller();
  const [path] = useLocation();
  const section = path.split('/')[1];
  return (
    // A page that has failed does not keep the others from being opened.
    <ErrorBoundary key={section}>
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
          <Route path="/uploads" component={UploadsPage} />
          <Route path="/uploads/:uploadId">{({ uploadId }) => <UploadPage uploadId={uploadId} key={uploadId} />}</Route>
          <Route path="/webhooks" component={WebhooksPage} />
          <Route path="/webhooks/:webhookId">
            {({ webhookId }) => <WebhookPage webhookId={webhookId} key={webhookId} />}
          </Route>
          <Route path="/deliveries/:deliveryId">
            {({ deliveryId }) => <DeliveryPage deliveryId={deliveryId} key={deliveryId} />}
          </Route>
          <Route path="/members" component={MembersPage} />
          <Route path="/keys" component={KeysPage} />
          <Route path="/companies" component={CompaniesPage} />
          <Route path="/rules" component={RulesPage} />
          <Route path="/usage" component={UsagePage} />
          <Route path="/billing" component={BillingPage} />
          <Route path="/audit" component={AuditPage} />
          <Route path="/notifications" component={NotificationsPage} />
          <Route path="/settings" component={SettingsPage} />
          <Route path="/suppliers" component={SuppliersPage} />
          <Route path="/suppliers/:supplierId">
            {({ supplierId }) => <SupplierPage supplierId={supplierId} key={supplierId} />}
          </Route>
          <Route path="/vendors" component={VendorsPage} />
          <Route path="/vendors/:vendorId">{({ vendorId }) => <VendorPage vendorId={vendorId} key={vendorId} />}</Route>
          <Route path="/scans" component={ScansPage} />
          <Route path="/scans/new" component={LedgerPage} />
          <Route path="/scans/:scanId">{({ scanId }) => <ScanPage scanId={scanId} key={scanId} />}</Route>
          <Route path="/report" component={ReportPage} />
          <Route path="/erp" component={ErpConnectionsPage} />
          <Route path="/erp/:connectionId">
            {({ connectionId }) => <ErpConnectionPage connectionId={connectionId} key={connectionId} />}
          </Route>
          <Route path="/ksef" component={KsefConnectionsPage} />
          <Route path="/ksef/:connectionId">
            {({ connectionId }) => <KsefConnectionPage connectionId={connectionId} key={connectionId} />}
          </Route>
          <Route path="/ksef/:connectionId/submissions/:submissionId">
            {(path) => <KsefSubmissionPage path={path} key={path.submissionId} />}
          </Route>
          <Route component={NotFoundPage} />
        </Switch>
      </Suspense>
    </ErrorBoundary>
  );
}
