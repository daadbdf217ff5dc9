window.ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#api',
  validatorUrl: null,
  deepLinking: true,
  persistAuthorization: false,
  presets: [SwaggerUIBundle.presets.apis],
});
