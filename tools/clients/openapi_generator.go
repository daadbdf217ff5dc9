// Three calls with the Go client of openapi-generator.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	generated "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func main() {
	settings := generated.NewConfiguration()
	settings.Servers = generated.ServerConfigurations{{URL: os.Getenv("API")}}
	settings.AddDefaultHeader("Authorization", "Bearer "+os.Getenv("KEY"))
	client := generated.NewAPIClient(settings)
	all := context.Background()
	types, _, err := client.FindingTypesAPI.ListFindingTypes(all).Execute()
	must(err)
	var invoice generated.Invoice
	must(json.Unmarshal([]byte(os.Getenv("INVOICE")), &invoice))
	posted, _, err := client.InvoicesAPI.AnalyzeInvoice(all).Invoice(invoice).Execute()
	must(err)
	found, _, err := client.FindingsAPI.ListFindings(all).Limit(1).Execute()
	must(err)
	if len(types.Items) <= 50 || posted.Decision == "" || len(found.Items) > 1 {
		must(fmt.Errorf("wrong answers"))
	}
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
