// Package server keeps the module that gardener-apiserver is built from in go.mod.
package server

import _ "github.com/gardener/gardener/cmd/gardener-apiserver/app"
