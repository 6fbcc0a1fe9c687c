package io.github.rpcrdma4j.cli.metrics;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/**
 * The page that shows the metrics of a server in a browser. It is one file; it asks for nothing but
 * the metrics.
 *
 * @param policy the value of Content-Security-Policy: a browser uses only the script and the style
 *     of this page, even if others get into it
 */
record StatusPage(String text, String policy) {
    /** The policy of what is no page. */
    static final String NOTHING = "default-src 'none'; frame-ancestors 'none'";

    static StatusPage read() {
        try (var in = StatusPage.class.getResourceAsStream("status.html")) {
            return of(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException missing) {
            throw new UncheckedIOException(missing);
        }
    }

    private static StatusPage of(String text) {
        return new StatusPage(
                text,
                NOTHING
                        + "; base-uri 'none'; form-action 'none'; connect-src 'self'; script-src "
                        + hash(text, "script")
                        + "; style-src "
                        + hash(text, "style"));
    }

    private static String hash(String text, String element) {
        var begin = "<" + element + ">";
        int from = text.indexOf(begin) + begin.length();
        var content = text.substring(from, text.indexOf("</" + element + ">", from));
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            byte[] bytes = digest.digest(content.getBytes(StandardCharsets.UTF_8));
            return "'sha256-" + Base64.getEncoder().encodeToString(bytes) + "'";
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError("every Java has SHA-256", impossible);
        }
    }
}
