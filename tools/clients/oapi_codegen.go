// Three calls with the Go client of oapi-codegen.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	generated "example.com/client"
)

func main() {
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("KEY"))
		return nil
	}
	client, err := generated.NewClientWithResponses(os.Getenv("API"), generated.WithRequestEditorFn(authorize))
	must(err)
	all := context.Background()
	types, err := client.ListFindingTypesWithResponse(all)
	must(err)
	var invoice generated.Invoice
	must(json.Unmarshal([]byte(os.Getenv("INVOICE")), &invoice))
	posted, err := client.AnalyzeInvoiceWithResponse(all, nil, invoice)
	must(err)
	one := 1
	found, err := client.ListFindingsWithResponse(all, &generated.ListFindingsParams{Limit: &one})
	must(err)
	if types.JSON200 == nil || len(types.JSON200.Items) <= 50 || posted.JSON202 == nil || found.JSON200 == nil {
		must(fmt.Errorf("wrong answers: %s %s %s", types.Status(), posted.Status(), found.Status()))
	}
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
