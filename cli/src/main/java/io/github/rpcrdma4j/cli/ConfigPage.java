package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.cli.serve.ConfigReader;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The manual page of the config file of {@code serve}, as text for the macros of {@code man(7)}.
 */
final class ConfigPage {
    static final String NAME = "serve.toml";

    private final CommandSpec serve;
    private final ManualText text = new ManualText();

    private ConfigPage(CommandSpec serve) {
        this.serve = serve;
    }

    /**
     * Returns the page.
     *
     * @param serve the command, whose options are the settings
     */
    static String of(CommandSpec serve) {
        return new ConfigPage(serve).page();
    }

    private String page() {
        text.line(".TH \"SERVE.TOML\" 5 \"\" \"%s\"", String.join(" ", serve.root().version()));
        text.section("NAME");
        text.line("%s \\- config file of rpcrdma serve", NAME);
        text.section("DESCRIPTION");
        text.paragraph(
                "A file in TOML, in UTF-8, for rpcrdma serve --config FILE. Settings of the server"
                        + " come first, then a table for each export. The service of the package"
                        + " reads /etc/rpcrdma4j/serve.toml.");
        text.line(".PP");
        text.paragraph(
                "rpcrdma serve --config FILE --check prints what would be served, or each mistake"
                        + " with its line. rpcrdma reload has a running server read its file again:"
                        + " exports come, go and change, and other settings wait for a restart. A"
                        + " file with a mistake changes nothing.");
        exports();
        text.section("SETTINGS");
        text.paragraph("They are options of rpcrdma serve, without the dashes before them.");
        ConfigReader.settings(serve).forEach(this::setting);
        example();
        text.section("SEE ALSO");
        text.line("\\fBrpcrdma\\-serve\\fR(1),\n\\fBrpcrdma\\-reload\\fR(1)");
        return text.toString();
    }

    private void exports() {
        text.section("EXPORTS");
        key("[export.\"/NAME\"]", "");
        text.paragraph(
                "Begins an export. Clients mount it by this name, which begins with a slash.");
        key("directory", "\"/PATH\"");
        text.paragraph("The directory that is served. It is required.");
        key("allow", "[\"RULE\", ...]");
        text.paragraph("The hosts that may use the export, and how. It is required.");
        text.paragraph(serve.findOption("--allow").description());
        key("delegations", "\"WORD\"");
        text.paragraph(serve.findOption("--delegations").description());
    }

    private void setting(String name, OptionSpec option) {
        key(name, value(option));
        text.paragraph(option.description());
    }

    private static String value(OptionSpec option) {
        var label = option.paramLabel();
        var type = option.typeInfo();
        if (option.arity().max() == 0) {
            return "true";
        }
        if (type.isMultiValue()) {
            return "[\"" + label + "\", ...]";
        }
        return Number.class.isAssignableFrom(type.getType()) || type.getType().isPrimitive()
                ? label
                : "\"" + label + "\"";
    }

    private void key(String name, String value) {
        text.line(".TP");
        text.line(
                "\\fB%s\\fR%s",
                ManualText.escaped(name),
                value.isEmpty() ? "" : " = \\fI" + ManualText.escaped(value) + "\\fR");
    }

    private void example() {
        text.section("EXAMPLE");
        text.line(".nf");
        text.paragraph(
                """
                tcp = ":2049"
                rpcbind = true

                [export."/data"]
                directory = "/srv/data"
                allow = [
                  "192.0.2.0/24",
                  "backup.example.org,ro",
                ]""");
        text.line(".fi");
    }
}
