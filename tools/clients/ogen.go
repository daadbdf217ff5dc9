// Three calls with the Go client of ogen.
package main

import (
	"context"
	"fmt"
	"os"

	generated "example.com/client/client"
)

type key struct{}

func (key) Bearer(context.Context, generated.OperationName) (generated.Bearer, error) {
	return generated.Bearer{Token: os.Getenv("KEY")}, nil
}

func main() {
	client, err := generated.NewClient(os.Getenv("API"), key{})
	must(err)
	all := context.Background()
	types, err := client.ListFindingTypes(all)
	must(err)
	var invoice generated.Invoice
	must(invoice.UnmarshalJSON([]byte(os.Getenv("INVOICE"))))
	posted, err := client.AnalyzeInvoice(all, &invoice, generated.AnalyzeInvoiceParams{})
	must(err)
	found, err := client.ListFindings(all, generated.ListFindingsParams{Limit: generated.NewOptInt(1)})
	must(err)
	_, hasTypes := types.(*generated.ListFindingTypesOKHeaders)
	_, isPosted := posted.(*generated.AcceptedAnalysisHeaders)
	_, hasFound := found.(*generated.ListFindingsOKApplicationJSONHeaders)
	if !hasTypes || !isPosted || !hasFound {
		must(fmt.Errorf("wrong answers: %T %T %T", types, posted, found))
	}
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
