"""The captive game server: hidden-rule games over a pipe or a socket, in the published protocol."""
