/**
 * Fetched replies: the requester reads their data by RDMA Read from memory that the responder
 * exposes. This package lays such replies out, keeps their memory exposed until it was fetched, and
 * fetches them. A profile defines the done notice that says that a reply was fetched.
 */
package io.github.rpcrdma4j.rpcrdma.rfc5666.fetched;
