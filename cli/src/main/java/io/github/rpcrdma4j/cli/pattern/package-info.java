/** Patterns of names, as a shell has them: {@code *}, {@code ?} and {@code [a-z]}. */
package io.github.rpcrdma4j.cli.pattern;
